// @vitest-environment edge-runtime
import { describe } from 'vitest'
import { checkEnvironment } from '../../fixtures/environment-checks.ts'

describe('a receiver in the environment edge-runtime', checkEnvironment)
