export type { AttemptHeaders } from './verifier/signature-headers.ts'
export { SecretError, type SecretList } from './verifier/signing-secret.ts'
export type { Refusal, Verification, VerificationFailure, Verified } from './verifier/verification.ts'
export {
  BodyNotRawError,
  createVerifier,
  type TimestampOptions,
  type Verifier,
  type VerifierOptions,
} from './verifier/verifier.ts'
