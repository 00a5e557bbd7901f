import { describe } from 'vitest'
import { checkEnvironment } from '../../fixtures/environment-checks.ts'

describe('a service in the environment of Node.js', checkEnvironment)
