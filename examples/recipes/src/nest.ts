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

// `@Controller()` and the like, called by hand: Node.js takes types away, but knows no decorators yet.
Controller()(NotesController)
Post('echo')(NotesController.prototype, 'echo', methodOf('echo'))
Body()(NotesController.prototype, 'echo', 0)
Get('notes')(NotesController.prototype, 'list', methodOf('list'))
Module({ controllers: [NotesController] })(ApplicationModule)

/** The application, ready to listen. */
export async function createApplication(): Promise<INestApplication> {
  const app = await NestFactory.create(ApplicationModule, { logger: ['error', 'warn'] })
  // Nest puts its body parsers up when it begins to listen: whatever is mounted here comes before them. Middleware of a
  // module would come after.
  app.use('/webhooks/notes', expressHandler(receiver))
  return app
}

function methodOf(name: keyof NotesController): PropertyDescriptor {
  return { value: NotesController.prototype[name] }
}
