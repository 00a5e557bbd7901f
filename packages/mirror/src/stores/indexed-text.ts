/** How many characters of each text of a note a search finds: of the title, the content, the transcript and the summary. */
export const MAX_INDEXED = 1_048_576
