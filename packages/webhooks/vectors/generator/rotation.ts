import { anAttempt, keyOf, refused, secretOf, signatureOf, signedBy, type VectorFile, verified } from './vector.ts'

const OLD = keyOf('the secret before the rotation')
const NEW = keyOf('the secret after the rotation')
const ALIEN = keyOf('a secret of nobody')
const both = { secrets: [secretOf(NEW), secretOf(OLD)] }
const entryOf = (key: Buffer) => `v1,${signatureOf({ key })}`

export const rotation: VectorFile = {
  description: 'Several secrets while a rotation lasts: the lowest index of a secret that signed is the answer.',
  cases: [
    verified('signed with the old secret', anAttempt({ key: OLD }), { ...both, secretIndex: 1 }),
    verified('signed with the new secret', anAttempt({ key: NEW }), { ...both, secretIndex: 0 }),
    verified('signed with both, the old one first', signedBy([entryOf(OLD), entryOf(NEW)]), {
      ...both,
      secretIndex: 0,
    }),
    verified('signed with both, the new one first', signedBy([entryOf(NEW), entryOf(OLD)]), {
      ...both,
      secretIndex: 0,
    }),
    verified('signed with both, and the old one is not known any more', signedBy([entryOf(OLD), entryOf(NEW)]), {
      secrets: [secretOf(NEW)],
    }),
    verified('signed with both, and the new one is not known yet', signedBy([entryOf(OLD), entryOf(NEW)]), {
      secrets: [secretOf(OLD)],
    }),
    verified('signed with the last of three', anAttempt({ key: OLD }), {
      secrets: [secretOf(ALIEN), secretOf(NEW), secretOf(OLD)],
      secretIndex: 2,
    }),
    verified('the same secret twice', anAttempt({ key: OLD }), { secrets: [secretOf(OLD), secretOf(OLD)] }),
    refused('signed with neither', 'no-matching-signature', anAttempt({ key: ALIEN }), both),
    refused('signed with the old secret when it is over', 'no-matching-signature', anAttempt({ key: OLD }), {
      secrets: [secretOf(NEW)],
    }),
  ],
}
