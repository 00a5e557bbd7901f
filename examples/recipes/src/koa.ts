import { json } from 'node:stream/consumers'
import { nodeHandler } from '@notewire/webhooks/node'
import Koa from 'koa'
import { endedNotes, receiver } from './receiver.ts'

export const app = new Koa()
const receive = nodeHandler(receiver)

// Mount the receiver before any body parser: it verifies the signature of the raw body.
app.use(async (context, next) => {
  if (context.path !== '/webhooks/notes') return next()
  context.respond = false // The receiver answers, not Koa.
  receive(context.req, context.res)
})

// Replaces a body parser such as koa-bodyparser.
app.use(async (context, next) => {
  if (context.method === 'POST') context.state['body'] = await json(context.req)
  await next()
})
app.use(async (context) => {
  if (context.path === '/echo') context.body = context.state['body']
  if (context.path === '/notes') context.body = endedNotes
})
