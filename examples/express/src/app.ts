import { expressHandler } from '@notewire/webhooks/express'
import express from 'express'
import { archive } from './archive.ts'
import { receiver } from './receiver.ts'

export const app = express()

// Mount the receiver before any body parser: it verifies the signature of the raw body.
app.post('/webhooks/notes', expressHandler(receiver))

app.use(express.json())
app.get('/notes', (_request, response) => {
  response.json(Object.fromEntries(archive.notes))
})
