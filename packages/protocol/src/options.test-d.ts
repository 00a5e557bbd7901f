import { it } from 'vitest'
import { refuseUnknownOptions } from './options.ts'

interface Options {
  readonly one?: number
  readonly other?: number
}

it('refuseUnknownOptions takes every name of the options', () => {
  const options: Options = {}
  refuseUnknownOptions('make', options, { one: true, other: true })
  // @ts-expect-error A name is forgotten: the option would be refused.
  refuseUnknownOptions('make', options, { one: true })
  // @ts-expect-error No option has this name.
  refuseUnknownOptions('make', options, { one: true, other: true, third: true })
})
