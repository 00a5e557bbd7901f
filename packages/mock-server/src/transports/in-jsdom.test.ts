// @vitest-environment jsdom
import { describe } from 'vitest'
import { checkEnvironment } from '../../fixtures/environment-checks.ts'

describe('a service in the environment jsdom', checkEnvironment)
