/**
 * How many notes to measure with: all of them, or the share that the environment asks for, while one tries something out
 * (`MIRROR_SHARE=0.01`).
 */
export function shareOf(notes: number): number {
  return Math.ceil(notes * Number(process.env['MIRROR_SHARE'] ?? 1))
}
