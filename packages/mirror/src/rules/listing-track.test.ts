import { describe, expect, it } from 'vitest'
import type { ListingTrack } from '../integrations/progress.ts'
import { isPaced, MAX_IDLE_PAGES, mayRestart, mustRestart, trackAfterPage, waitEnd, waiting } from './listing-track.ts'

const NOW = 1_000_000_000
const MINUTE_MS = 60_000

const aPage = (traits: Partial<Parameters<typeof trackAfterPage>[1]> = {}) => ({
  ...{ listed: 2, newNotes: 2, isRestart: false },
  ...traits,
})

describe('the track of a listing', () => {
  const begin = { startedAfter: 'c1', startSequence: 7 }

  it.each<[string, ListingTrack | undefined, Parameters<typeof aPage>[0], ListingTrack]>([
    ['counts the notes of page one', undefined, {}, { listed: 2 }],
    ['adds the notes of the next page', { ...begin, listed: 2 }, {}, { ...begin, listed: 4 }],
    ['ends a wait', { listed: 2, waitUntil: NOW, failures: 2 }, {}, { listed: 4 }],
    ['counts an idle page', { ...begin, listed: 2 }, { newNotes: 0 }, { ...begin, listed: 2, idlePages: 1 }],
    [
      'counts an empty page as idle',
      { listed: 2, idlePages: 1 },
      { listed: 0, newNotes: 0 },
      { listed: 2, idlePages: 2 },
    ],
    ['forgets idle pages when a note is new', { listed: 2, idlePages: 5 }, { newNotes: 1 }, { listed: 4 }],
  ])('%s', (_, track, traits, expected) => {
    expect(trackAfterPage(track, aPage(traits))).toEqual(expected)
  })

  it.each<[string, ListingTrack | undefined, ListingTrack]>([
    [
      'remembers how far the listing was',
      { listed: 6, idlePages: 3 },
      { listed: 2, furthest: 6, idlePages: 3, restarts: 1 },
    ],
    ['keeps the furthest attempt', { listed: 4, furthest: 6, restarts: 1 }, { listed: 2, furthest: 6, restarts: 2 }],
    [
      'remembers an attempt that got further',
      { listed: 8, furthest: 6, restarts: 1 },
      { listed: 2, furthest: 8, restarts: 2 },
    ],
    ['ends a wait', { listed: 6, waitUntil: NOW, failures: 3 }, { listed: 2, furthest: 6, restarts: 1 }],
    ['ends the restart if it lists more notes than before', { listed: 1, restarts: 1 }, { listed: 2 }],
    ['is like page one if there was no track', undefined, { listed: 2 }],
  ])('page one of a restart %s', (_, track, expected) => {
    expect(trackAfterPage(track, aPage({ isRestart: true }))).toEqual(expected)
  })

  it.each<[string, Parameters<typeof aPage>[0], ListingTrack]>([
    ['a page up to there only counts its notes', {}, { listed: 6, furthest: 6, idlePages: 3, restarts: 1 }],
    ['nor is such a page idle', { newNotes: 0 }, { listed: 6, furthest: 6, idlePages: 3, restarts: 1 }],
    ['an empty page is idle', { listed: 0, newNotes: 0 }, { listed: 4, furthest: 6, idlePages: 4, restarts: 1 }],
    ['a page beyond that with a new note ends the restart', { listed: 3, newNotes: 1 }, { listed: 7 }],
  ])('until a restart is where it was: %s', (_, traits, expected) => {
    const track = { listed: 4, furthest: 6, idlePages: 3, restarts: 1 }
    expect(trackAfterPage(track, aPage(traits))).toEqual(expected)
  })
})

describe('too many idle pages', () => {
  it.each<[string, ListingTrack | undefined, boolean]>([
    ['have a listing restarted after its wait', { idlePages: MAX_IDLE_PAGES, waitUntil: NOW }, true],
    ['have it wait first', { idlePages: MAX_IDLE_PAGES }, false],
    ['are no fewer than 10 000', { idlePages: 9999, waitUntil: NOW }, false],
    ['are not there without a track', undefined, false],
  ])('%s', (_, track, expected) => {
    expect(mustRestart(track)).toBe(expected)
  })

  it.each<[ListingTrack | undefined, boolean]>([
    [undefined, false],
    [{}, false],
    [{ idlePages: 19 }, false],
    [{ idlePages: 20 }, true],
  ])('slow a listing down from the twentieth: %o', (track, expected) => {
    expect(isPaced(track)).toBe(expected)
  })
})

describe('a restart', () => {
  it.each<[string, ListingTrack | undefined, boolean]>([
    ['may be tried twice', { restarts: 1 }, true],
    ['waits before the third', { restarts: 2 }, false],
    ['may be tried again after the wait', { restarts: 2, waitUntil: NOW }, true],
    ['may be tried without a track', undefined, true],
  ])('%s', (_, track, expected) => {
    expect(mayRestart(track)).toBe(expected)
  })
})

describe('the wait of a listing', () => {
  it.each<[ListingTrack | undefined, number]>([
    [undefined, 5],
    [{ restarts: 1 }, 5],
    [{ restarts: 2 }, 5],
    [{ restarts: 3 }, 10],
    [{ restarts: 5 }, 40],
    [{ restarts: 6 }, 60],
    [{ restarts: 5000 }, 60],
    [{ idlePages: MAX_IDLE_PAGES - 1 }, 5],
    [{ idlePages: MAX_IDLE_PAGES }, 60],
  ])('with the track %o lasts %i minutes', (track, minutes) => {
    expect(waiting(track, NOW)).toEqual({ ...track, waitUntil: NOW + minutes * MINUTE_MS })
  })

  it.each<[string, ListingTrack | undefined, number | undefined]>([
    ['ends later', { waitUntil: NOW + 1 }, NOW + 1],
    ['is over at its end', { waitUntil: NOW }, undefined],
    ['does not exist without a track', undefined, undefined],
    [
      'lasts an hour by a clock that is ahead by ten minutes',
      { waitUntil: NOW + 70 * MINUTE_MS },
      NOW + 70 * MINUTE_MS,
    ],
    ['is over if a wrong clock wrote a later end', { waitUntil: NOW + 70 * MINUTE_MS + 1 }, undefined],
  ])('%s', (_, track, end) => {
    expect(waitEnd(track, NOW)).toBe(end)
  })
})
