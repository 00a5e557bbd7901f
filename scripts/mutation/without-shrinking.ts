import fc from 'fast-check'

// A property that fails has noticed the change. The smallest counterexample, which takes longest, does not matter.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true })
