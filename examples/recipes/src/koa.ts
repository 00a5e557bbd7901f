import { json } from 'node:stream/consumers'
import { nodeHandler } from '@notewire/webhooks/node'
import Koa from 'koa'
import { endedNotes, receiver } from './receiver.ts'

export const app = new Koa()
const receive = nodeHandler(receiver)

// Before any body parser: a signature covers the bytes as they came.
app.use(async (context, next) => {
  if (context.path !== '/webhooks/notes') return next()
  context.respond = false // The receiver answers, not Koa.
  receive(context.req, context.res)
})

// Stands for koa-bodyparser and its like.
app.use(async (context, next) => {
  if (context.method === 'POST') context.state['body'] = await json(context.req)
  await next()
})
app.use(async (context) => {
  if (context.path === '/echo') context.body = context.state['body']
  if (context.path === '/notes') context.body = endedNotes
})
