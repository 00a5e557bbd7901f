import { route } from '@react-router/dev/routes'

export default [route('webhooks/notes', 'routes/webhooks.notes.ts')]
