// What a program for Node.js uses, whose TypeScript does not know the DOM. The mock server needs msw, whose types do.
export { NotesClient } from '@notewire/client'
export { isKnownEvent } from '@notewire/protocol'
export { eventSchemas } from '@notewire/protocol/schemas'
export { createReceiver } from '@notewire/webhooks'
export { expressHandler } from '@notewire/webhooks/express'
export { nodeHandler } from '@notewire/webhooks/node'
export { anEvent } from '@notewire/webhooks/testing'
export { createVerifier } from '@notewire/webhooks/verify'
