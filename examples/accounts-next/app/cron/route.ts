import { mirrors } from '../../lib/customers.ts'

export const maxDuration = 60

/** Vercel calls this every minute (`vercel.json`), with the secret in this header. */
export async function GET({ headers }: Request): Promise<Response> {
  const { CRON_SECRET: secret } = process.env
  if (!secret || headers.get('authorization') !== `Bearer ${secret}`) return new Response(null, { status: 401 })
  return Response.json(await mirrors.work({ budgetMs: 40_000 }))
}
