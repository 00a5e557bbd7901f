import { defineConfig } from '@playwright/test'

// CHROMIUM is the path of an installed Chromium. Without it, run `npx playwright install chromium` first.
export default defineConfig({
  testDir: 'test',
  use: { launchOptions: { executablePath: process.env['CHROMIUM'] } },
})
