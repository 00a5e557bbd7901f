// @vitest-environment edge-runtime
import { describe } from 'vitest'
import { checkEnvironment } from '../../fixtures/environment-checks.ts'

describe('a service in the environment edge-runtime', checkEnvironment)
