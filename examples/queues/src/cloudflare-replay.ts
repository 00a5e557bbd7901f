interface Env {
  readonly NOTES: { send(job: object): Promise<unknown> }
}
interface Batch {
  readonly messages: readonly { readonly body: object; ack(): void }[]
}

// A Worker that consumes the dead letters, and queues them again. Deploy it once the cause is corrected, and delete it afterwards.
export default {
  async queue({ messages }: Batch, { NOTES }: Env): Promise<void> {
    for (const message of messages) {
      await NOTES.send(message.body)
      message.ack()
    }
  },
}
