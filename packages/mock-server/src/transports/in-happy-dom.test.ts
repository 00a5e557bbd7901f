// @vitest-environment happy-dom
import { describe } from 'vitest'
import { checkEnvironment } from '../../fixtures/environment-checks.ts'

describe('a service in the environment happy-dom', checkEnvironment)
