import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { createReceiver } from '@notewire/webhooks'
import { fastifyPlugin } from '@notewire/webhooks/fastify'

const receiver = createReceiver({
  secret: () => process.env['NOTES_SIGNING_SECRET'],
  on: { 'note.ended': ({ data }) => console.log(data.note_id, 'has ended') },
})

class ApplicationModule {}
// The decorator is called as a function, because Node.js strips types but does not support decorators yet.
Module({})(ApplicationModule)

const app = await NestFactory.create<NestFastifyApplication>(ApplicationModule, new FastifyAdapter(), {
  logger: ['error', 'warn'],
})
await app.register(fastifyPlugin, { receiver, url: '/webhooks/notes' })
await app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1')
