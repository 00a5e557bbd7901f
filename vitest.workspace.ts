import { defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'

// Our own packages are tested from their sources; `tests/packed-packages` tests what is published.
const fromSource = { resolve: { conditions: ['@notewire/source', ...defaultServerConditions] } }

const unit = (name: string) => ({
  ...fromSource,
  ssr: fromSource,
  test: {
    name,
    root: `packages/${name}`,
    include: ['src/**/*.test.ts'],
    typecheck: { enabled: true, include: ['src/**/*.test-d.ts'], tsconfig: '../../tsconfig.json' },
  },
})

export default defineConfig({
  test: {
    projects: [unit('protocol'), unit('client'), unit('webhooks'), unit('mock-server')],
  },
})
