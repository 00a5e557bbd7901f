/** Why the service did not do what a call asked for: the codes of an `ApiError`. */
export type ApiErrorCode =
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'not_supported'
  | 'not_ready'
  | 'content_not_found'
  | 'invalid_request'
  | 'cursor_expired'
  | 'rate_limited'
  | 'redirect_refused'
  | 'server_error'
  | 'unexpected_status'

/** Every `code` of a `NotesClientError`. The list is closed, so that a `switch` over it can be exhaustive. */
export type ClientErrorCode =
  | ApiErrorCode
  | 'network_error'
  | 'timeout'
  | 'invalid_response'
  | 'cursor_repeated'
  | 'endpoint_not_active'
