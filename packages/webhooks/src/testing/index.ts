export { type AdapterCheck, adapterChecks, type MountedReceiver } from './adapter-checks.ts'
export { anEvent, anUnknownEvent, type EventTraits } from './an-event.ts'
export { type SignedAttempt, type SigningTraits, signAttempt } from './sign-attempt.ts'
export { type StoreCheck, storeChecks } from './store-checks.ts'
