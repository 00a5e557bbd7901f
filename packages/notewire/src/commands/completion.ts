import { script } from '@bomb.sh/tab'
import { EXIT_CODES } from '../exit-code.ts'
import { BASH_SCRIPT } from './bash-script.ts'
import { defineCommand } from './command.ts'
import { required } from './declarations.ts'
import { oneOf } from './value-readers.ts'

/** `notewire completion`. */
export const completion = defineCommand({
  description: 'Prints a script that has the shell complete commands, options and their values at the tab key.',
  arguments: { shell: required('shell', 'which shell', oneOf(['bash', 'zsh', 'fish', 'powershell'])) },
  examples: [
    ['completion bash > ~/.notewire.bash', 'then add to ~/.bashrc: source ~/.notewire.bash'],
    ['completion zsh > ~/.notewire.zsh', 'then add to ~/.zshrc: source ~/.notewire.zsh'],
    ['completion fish > ~/.config/fish/completions/notewire.fish', 'fish finds it by itself'],
  ],
  next: 'Open another shell, type "notewire " and press the tab key.',
  async run({ arguments: { shell }, output }) {
    if (shell === 'bash') await output.printRaw(BASH_SCRIPT)
    // It prints by itself.
    else script(shell, 'notewire', 'notewire')
    return EXIT_CODES.done
  },
})
