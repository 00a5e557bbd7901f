/** With which the simulated service signs. */
export const SIGNING_SECRET = `whsec_${Buffer.from('a secret for simulated deliveries').toString('base64url')}`
