// The types of the runtime that these examples use. In your own project, `npx wrangler types` generates all types.
declare module 'cloudflare:workers' {
  import type { DurableObjectSqlStorage } from '@notewire/mirror/sqlite'

  export interface DurableObjectStorage extends DurableObjectSqlStorage {
    get<Value>(key: string): Promise<Value | undefined>
    put(key: string, value: unknown): Promise<void>
    deleteAll(): Promise<void>
    getAlarm(): Promise<number | null>
    setAlarm(at: number): Promise<void>
    deleteAlarm(): Promise<void>
  }

  export class DurableObject<Env> {
    readonly env: Env
    readonly ctx: {
      readonly storage: DurableObjectStorage
    }
  }

  export interface DurableObjectNamespace<Stub> {
    getByName(name: string): Stub
  }

  export interface Queue {
    sendBatch(messages: readonly { readonly body: object }[]): Promise<unknown>
  }

  export interface D1Database {
    prepare(sql: string): {
      bind(...values: readonly (string | number)[]): {
        run(): Promise<unknown>
        first<Value>(column: string): Promise<Value | null>
      }
    }
  }
}
