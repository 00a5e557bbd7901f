import { beforeEach, describe, expect, it } from 'vitest'
import { aDeliveredService, showService } from '../../fixtures/shown-service.ts'

const shown = showService(() => aDeliveredService(3))
beforeEach(async () => {
  await shown.page.goto(`${shown.service.baseUrl}/console/deliveries`)
})

const focused = () => shown.page.evaluate<string>('document.activeElement.id')
const dialog = () => shown.page.getByRole('dialog', { name: 'Keyboard shortcuts' })
const newest = () => shown.service.deliveries.map(({ delivery_id }) => delivery_id).reverse()

describe('keyboard shortcuts', () => {
  it('? lists them, and Esc closes the list', async () => {
    await shown.page.keyboard.press('?')
    await dialog().getByText('Previous entry of the list').waitFor()
    await shown.page.keyboard.press('j')
    expect(await focused()).not.toBe(newest()[0])
    await shown.page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'hidden' })
    await shown.page.getByRole('button', { name: 'Shortcuts' }).click()
    await dialog().getByRole('button', { name: 'Close' }).click()
    await dialog().waitFor({ state: 'hidden' })
  })

  it('j and k move in the list, Enter opens an entry, and Esc goes back', async () => {
    const pressed: string[] = []
    for (const key of ['j', 'j', 'j', 'k', 'k', 'k', 'j']) {
      await shown.page.keyboard.press(key)
      pressed.push(await focused())
    }
    const [first, second, third] = newest()
    expect(pressed).toEqual([first, second, third, second, first, first, second])
    await shown.page.keyboard.press('Enter')
    await shown.page.waitForURL(`**/console/deliveries/${second}`)
    await shown.page.keyboard.press('Escape')
    await shown.page.waitForURL('**/console/deliveries')
  })

  it('/ moves to the search, in which the keys are text, and Esc leaves it', async () => {
    await shown.page.keyboard.press('/')
    expect(await focused()).toBe('search')
    await shown.page.keyboard.type('gnj?/')
    expect(await shown.page.getByRole('searchbox').inputValue()).toBe('gnj?/')
    await shown.page.keyboard.press('Escape')
    expect(await focused()).toBe('')
  })

  it.each([
    ['n', 'Notes'],
    ['e', 'Endpoints'],
    ['r', 'API requests'],
    ['k', 'Integrations and keys'],
    ['c', 'Clock'],
    ['f', 'Faults'],
    ['d', 'Deliveries'],
  ])('g %s opens %s', async (key, title) => {
    await shown.page.goto(`${shown.service.baseUrl}/console/notes`)
    await shown.page.keyboard.press('g')
    await shown.page.keyboard.press(key)
    await shown.page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
  })

  it('leave the keys of the browser alone', async () => {
    await shown.page.keyboard.press('Control+j')
    await shown.page.keyboard.press('Alt+j')
    expect(await focused()).toBe('')
  })

  it('can be turned off, and stay off', async () => {
    await shown.page.keyboard.press('?')
    await dialog().getByLabel('Use keyboard shortcuts').uncheck()
    await shown.page.reload()
    await shown.page.keyboard.press('j')
    await shown.page.keyboard.press('?')
    expect([await focused(), await dialog().isVisible()]).toEqual(['', false])
    await shown.page.getByRole('button', { name: 'Shortcuts' }).click()
    await dialog().getByLabel('Use keyboard shortcuts').check()
    await shown.page.keyboard.press('Escape')
    await shown.page.keyboard.press('j')
    expect(await focused()).toBe(newest()[0])
  })
})
