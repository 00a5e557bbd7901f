import { after } from 'next/server'
import { mirrors, receivers } from '../../../../lib/customers.ts'

export const maxDuration = 60

export async function POST(request: Request, { params }: { params: Promise<{ integration: string }> }) {
  const { integration } = await params
  const response = await receivers.for(integration).fetch(request)
  // The work runs after the answer was sent: on Vercel, `after` is `waitUntil`.
  if (response.ok) after(() => mirrors.work({ integration, budgetMs: 40_000 }))
  return response
}
