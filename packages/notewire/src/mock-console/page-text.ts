const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** What a page of the console says when something cannot be done. */
export function messageOf(page: string): string | undefined {
  const [, message] = /<section class="empty"><h1>[^<]*<\/h1><p>([^<]*)<\/p>/.exec(page) ?? []
  return message === undefined ? undefined : unescaped(message)
}

/** The recording sessions of a note that are under way, of the note's page. */
export function sessionsUnderWay(page: string): readonly string[] {
  return [...page.matchAll(/name="recording_session_id" value="([^"]*)"/g)].map(([, id = '']) => unescaped(id))
}

/** The places a note can be moved to, of the note's page: the one that it is in comes last. */
export function placesOf(page: string): readonly string[] {
  const [, options = ''] = /<select name="place">(.*?)<\/select>/s.exec(page) ?? []
  const places = [...options.matchAll(/<option value="([^"]*)"([^>]*)>/g)]
  const isHere = ([, , attributes = '']: RegExpExecArray) => attributes.includes('selected')
  return [...places.filter((place) => !isHere(place)), ...places.filter(isHere)].map(([, place = '']) =>
    unescaped(place),
  )
}

/** The content of a note, of the form that edits it. */
export function contentOf(page: string): string {
  const [, content = ''] = /<textarea name="content" rows="4">(.*?)<\/textarea>/s.exec(page) ?? []
  return unescaped(content)
}

/** The endpoints of the service, of the page that lists them. */
export function endpointsOn(page: string): readonly string[] {
  return [...page.matchAll(/<form method="post" action="\/console\/endpoints\/([^/"]+)\/test"/g)].map(([, id = '']) =>
    unescaped(id),
  )
}

function unescaped(text: string): string {
  return text.replace(/&(\w+|#39);/g, (entity, name: string) => ENTITIES[name] ?? entity)
}
