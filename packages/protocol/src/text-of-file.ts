import { isBytes, OptionError } from './options.ts'

/**
 * The text of a file that a person has written: in UTF-8, or in UTF-16 with a byte order mark, which PowerShell and Notepad of Windows write. The
 * text does not contain the mark.
 *
 * @throws OptionError if `bytes` are no bytes
 */
export function textOfFile(bytes: Uint8Array): { readonly text: string; readonly encoding: TextEncoding } {
  if (!isBytes(bytes))
    throw new OptionError('bytes', 'bytes must be a Uint8Array. Pass what readFile returns without an encoding.')
  const encoding = encodingOf(bytes)
  return { text: new TextDecoder(encoding).decode(bytes), encoding }
}

function encodingOf([first, second]: Uint8Array): TextEncoding {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be'
