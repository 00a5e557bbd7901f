import { createHash, randomBytes } from 'node:crypto'
import { cookies } from 'next/headers'
import { redirect } from 'next/navigation'
import { accountOf, connect, disconnect } from '../lib/customers.ts'
import { Live } from './live.tsx'

/** Put your sign-in here. In this example a browser is a customer. Ids are in URLs, so they must not reveal the cookie. */
async function signedIn(): Promise<string> {
  const session = (await cookies()).get('session')?.value ?? ''
  return createHash('sha256').update(session).digest('base64url')
}

// Next compares `Origin` and `Host` of every server action, which rejects forms of other sites.
async function connectAccount(form: FormData): Promise<void> {
  'use server'
  const jar = await cookies()
  const session = jar.get('session')?.value || randomBytes(32).toString('base64url')
  jar.set('session', session, { httpOnly: true, secure: true, sameSite: 'lax' })
  const isConnected = await connect(await signedIn(), String(form.get('apiKey')))
  redirect(isConnected ? '/' : '/?refused')
}

async function disconnectAccount(): Promise<void> {
  'use server'
  await disconnect(await signedIn())
}

export default async function Page({ searchParams }: PageProps<'/'>) {
  const { state, events, notes } = await accountOf(await signedIn())
  if (state === 'disconnected') {
    return (
      <form action={connectAccount}>
        {'refused' in (await searchParams) && <p>The service refused the key, or another customer uses it.</p>}
        <input name="apiKey" type="password" autoComplete="off" aria-label="API key" required />
        <button type="submit">Connect</button>
      </form>
    )
  }
  return (
    <form action={disconnectAccount}>
      <Live />
      {`${state}, events: ${events ?? 'none'}`} <button type="submit">Disconnect and erase</button>
      {notes?.map(({ note_id, title }) => (
        <p key={note_id}>{title ?? 'Untitled'}</p>
      ))}
    </form>
  )
}
