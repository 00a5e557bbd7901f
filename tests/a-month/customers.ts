export const CUSTOMERS = ['acme', 'globex', 'initech'] as const

export type Customer = (typeof CUSTOMERS)[number]
