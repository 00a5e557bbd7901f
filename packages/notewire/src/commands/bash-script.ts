/**
 * What `notewire completion bash` prints. Our own: that of tab needs the package bash-completion, and cannot be sourced twice.
 * Where `notewire complete` says `:0`, a path is expected, and bash completes it.
 */
export const BASH_SCRIPT = `# bash completion for notewire
_notewire_complete() {
  local word line glue=
  local -a words=()
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    # bash takes --format=jsonl for three words, and a URL as well.
    if [[ ( $word == [=:] || -n $glue ) && \${#words[@]} -gt 0 ]]; then
      words[\${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    glue=
    if [[ $word == [=:] ]]; then glue=yes; fi
  done
  while IFS= read -r line; do
    case $line in
      :0) ;;
      :*) compopt +o default 2>/dev/null ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(notewire complete -- "\${words[@]}" 2>/dev/null)
}
complete -o default -F _notewire_complete notewire
`
