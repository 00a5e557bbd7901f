import { script } from '@bomb.sh/tab'
import { EXIT_CODES } from '../exit-code.ts'
import { defineCommand } from './command.ts'
import { required } from './declarations.ts'
import { oneOf } from './value-readers.ts'

/** `notewire completion`. */
export const completion = defineCommand({
  description: 'Prints a script that has the shell complete commands, options and their values at the tab key.',
  arguments: { shell: required('shell', 'which shell', oneOf(['bash', 'zsh', 'fish', 'powershell'])) },
  examples: [
    ['completion zsh > ~/.notewire.zsh', 'then add to ~/.zshrc: source ~/.notewire.zsh'],
    ['completion fish > ~/.config/fish/completions/notewire.fish', 'fish finds it by itself'],
  ],
  next: 'Open another shell, type "notewire " and press the tab key.',
  async run({ arguments: { shell } }) {
    // It prints by itself.
    script(shell, 'notewire', 'notewire')
    return EXIT_CODES.done
  },
})
