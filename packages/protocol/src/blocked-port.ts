/** The ports to which `fetch` sends no request, because other protocols use them (Fetch standard, "bad port"). */
const BLOCKED_PORTS =
  '0 1 7 9 11 13 15 17 19-23 25 37 42 43 53 69 77 79 87 95 101-104 109-111 113 115 117 119 123 135 137 139 143 161 179 389 427 465 512-515 526 530-532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665-6669 6679 6697 10080'

/** Tells whether `fetch` sends no request to a port: browsers and runtimes block the ports of other protocols. */
export function isBlockedPort(port: string | number): boolean {
  if (`${port}` === '') return false
  return BLOCKED_PORTS.split(' ').some((range) => {
    const [first, last = first] = range.split('-')
    return Number(port) >= Number(first) && Number(port) <= Number(last)
  })
}
