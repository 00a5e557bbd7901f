/**
 * What the declarations of the adapters say about an `IncomingMessage` of `node:http`. They do not import it, so that they compile without
 * `@types/node`, as in a project for Workers.
 */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: { readonly [name: string]: string | string[] | undefined }
}

/** What they say about a `ServerResponse` of `node:http`. */
export interface NodeResponse {
  readonly headersSent: boolean
  writeHead(status: number): unknown
  end(): unknown
  destroy(error?: Error): unknown
}
