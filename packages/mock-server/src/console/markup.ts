import type { HtmlEscapedString } from 'hono/utils/html'

/** A piece of a page. Whatever is put into it as a value is text, never markup. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>
