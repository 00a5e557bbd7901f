import 'reflect-metadata'
import { Body, Controller, Get, type INestApplication, Module, Post } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { expressHandler } from '@notewire/webhooks/express'
import { endedNotes, receiver } from './receiver.ts'

class NotesController {
  echo(body: unknown): unknown {
    return body
  }

  list(): readonly string[] {
    return endedNotes
  }
}

class ApplicationModule {}

// The decorators are called as functions, because Node.js strips types but does not support decorators yet.
Controller()(NotesController)
Post('echo')(NotesController.prototype, 'echo', methodOf('echo'))
Body()(NotesController.prototype, 'echo', 0)
Get('notes')(NotesController.prototype, 'list', methodOf('list'))
Module({ controllers: [NotesController] })(ApplicationModule)

/** The application, ready to listen. */
export async function createApplication(): Promise<INestApplication> {
  const app = await NestFactory.create(ApplicationModule, { logger: ['error', 'warn'] })
  // Nest adds its body parsers when it starts to listen, so this runs before them. Middleware of a module would run after them.
  app.use('/webhooks/notes', expressHandler(receiver))
  return app
}

function methodOf(name: keyof NotesController): PropertyDescriptor {
  return { value: NotesController.prototype[name] }
}
