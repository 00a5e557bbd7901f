import type { Bench } from './bench.ts'
import { type Examine, held, missed, type Observation } from './check.ts'
import type { DeliveryTraits } from './delivery.ts'
import { describeExchange, type Exchange, isAcknowledged, isRefusal } from './reply.ts'

/** The deliveries that a check sends one after another, made when their turn has come: signatures age. */
export type Draft = (bench: Bench) => Partial<DeliveryTraits> | readonly Partial<DeliveryTraits>[]

/** Holds when every delivery gets a 2xx. */
export function isAccepted(draft: Draft): Examine {
  return eachOf(draft, (exchange) => isAcknowledged(exchange.reply), 'where a 2xx is due')
}

/** Holds when every delivery gets a 4xx. */
export function isRefused(draft: Draft): Examine {
  return eachOf(draft, (exchange) => isRefusal(exchange.reply), 'where a 4xx is due')
}

/** Holds when every delivery is taken or refused, and nothing breaks. */
export function isTakenOrRefused(draft: Draft): Examine {
  const isEither = ({ reply }: Exchange) => isAcknowledged(reply) || isRefusal(reply)
  return eachOf(draft, isEither, 'where a 2xx or a 4xx is due')
}

function eachOf(draft: Draft, isRight: (exchange: Exchange) => boolean, expectation: string): Examine {
  return async (bench): Promise<Observation> => {
    const drafted = draft(bench)
    const all = 'length' in drafted ? drafted : [drafted]
    let seen = ''
    for (const traits of all) {
      const exchange = await bench.deliver(traits)
      seen = describeExchange(exchange)
      if (!isRight(exchange)) return missed(exchange, `${seen}, ${expectation}`)
    }
    return held(all.length === 1 ? seen : `${all.length} deliveries; the last one ${seen}`)
  }
}
