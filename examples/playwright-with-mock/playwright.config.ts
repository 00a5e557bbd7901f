import { defineConfig } from '@playwright/test'

// The path of an installed Chromium. Without it, run `npx playwright install chromium` first.
const executablePath = process.env['CHROMIUM']

export default defineConfig({
  testDir: 'test',
  use: { launchOptions: executablePath === undefined ? {} : { executablePath } },
})
