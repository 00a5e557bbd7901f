import { mirrors } from '../../lib/customers.ts'

export const maxDuration = 60

/** Vercel calls it every minute, with this header (`vercel.json`). */
export async function GET({ headers }: Request): Promise<Response> {
  const { CRON_SECRET: secret } = process.env
  if (!secret || headers.get('authorization') !== `Bearer ${secret}`) return new Response(null, { status: 401 })
  return Response.json(await mirrors.work({ budgetMs: 40_000 }))
}
