/**
 * The number of notes to measure with: all, or a share for quick experiments
 * (`MIRROR_SHARE=0.01`).
 */
export function shareOf(notes: number): number {
  return Math.ceil(notes * Number(process.env['MIRROR_SHARE'] ?? 1))
}
