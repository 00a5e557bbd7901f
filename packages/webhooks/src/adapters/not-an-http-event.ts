import { OptionError } from '@notewire/protocol'
import { fixForFramework } from '../delivering/not-a-request.ts'

type Fields = Readonly<Record<string, unknown>>
type Description = readonly [what: string, remedy: string]

const JOBS =
  'If its records are jobs of the option queue, call queuedEvent, receiver.process and jobResult for each record in a function of its own, ' +
  'and report the records that failed (guide "Queues", section "SQS").'
const OTHER_FUNCTION = 'Invoke another function with it.'

/**
 * The error for an event of AWS Lambda that is no HTTP request. Services such as SQS take a result with a `statusCode` for success, and
 * delete their records, so `lambdaHandler` throws it.
 */
export function notAnHttpEvent(event: unknown): OptionError {
  const expected =
    'lambdaHandler takes HTTP requests of API Gateway, of a function URL or of an Application Load Balancer'
  const fix = fixForFramework(event)
  if (fix !== undefined) return new OptionError('event', `${expected}, and was given ${fix}`)
  // A pipe of EventBridge invokes a function with the records alone.
  const [what, remedy] = describe(Array.isArray(event) ? { Records: event } : fieldsOf(event))
  return new OptionError('event', `${expected}, and was invoked with ${what}. ${remedy}`)
}

function describe(event: Fields): Description {
  if (Array.isArray(event['Records'])) return ofRecords(event['Records'])
  const service = SERVICES.get(event['eventSource'])
  if (service !== undefined) return service
  const known = FIELDS.find(([field]) => field in event)
  if (known !== undefined) return [known[1], known[2]]
  if ('connectionId' in fieldsOf(event['requestContext'])) {
    return ['a message of a WebSocket API', 'Create a REST API, an HTTP API or a function URL for deliveries.']
  }
  return [
    'an event without an HTTP method, such as that of a direct invocation or a schedule',
    'Send a request to the URL of the function or its gateway, or pass an event with the fields of one.',
  ]
}

/** Whether API Gateway asks who may send a request. Such an event has the method of the request, and not its body. */
export function isAuthorizerEvent(event: object): boolean {
  return 'methodArn' in event || 'routeArn' in event
}

const SERVICES: ReadonlyMap<unknown, Description> = new Map([
  ['aws:sqs', ['a batch of SQS', JOBS]],
  ['aws:sns', ['a message of SNS', JOBS]],
  ['aws:kinesis', ['a batch of Kinesis', JOBS]],
  ['aws:kafka', ['a batch of Kafka', JOBS]],
  ['SelfManagedKafka', ['a batch of Kafka', JOBS]],
  ['aws:mq', ['a batch of Amazon MQ', JOBS]],
  ['aws:rmq', ['a batch of Amazon MQ', JOBS]],
  ['aws:s3', ['a notification of S3', OTHER_FUNCTION]],
  ['aws:dynamodb', ['a batch of DynamoDB', OTHER_FUNCTION]],
  ['aws:docdb', ['a batch of DocumentDB', OTHER_FUNCTION]],
  ['aws:ses', ['an e-mail of SES', OTHER_FUNCTION]],
  ['aws:codecommit', ['an event of CodeCommit', OTHER_FUNCTION]],
])

/** The events of other services, by a field that only they have. */
const FIELDS: readonly (readonly [field: string, ...Description])[] = [
  ['detail-type', 'an event of EventBridge', OTHER_FUNCTION],
  ['alarmData', 'an alarm of CloudWatch', OTHER_FUNCTION],
  ['awslogs', 'a batch of CloudWatch Logs', OTHER_FUNCTION],
  ['deliveryStreamArn', 'a batch of Data Firehose', OTHER_FUNCTION],
  ['triggerSource', 'a trigger of Cognito', OTHER_FUNCTION],
  ['StackId', 'a custom resource of CloudFormation', OTHER_FUNCTION],
  ['methodArn', 'a request for authorization', 'Use a function of its own as the authorizer.'],
  ['routeArn', 'a request for authorization', 'Use a function of its own as the authorizer.'],
  ['method', 'a request of VPC Lattice, which it does not support', 'Use one of the three others.'],
  ['body-json', 'an event of a mapping template', 'Use the Lambda proxy integration of API Gateway.'],
]

function ofRecords(records: readonly unknown[]): Description {
  const { eventSource, EventSource, cf } = fieldsOf(records[0])
  if (cf !== undefined) {
    const remedy = 'Let CloudFront forward the request, with its whole body and headers, to a function URL or an API.'
    return ['a request of CloudFront (Lambda@Edge), which it does not support', remedy]
  }
  return SERVICES.get(eventSource ?? EventSource) ?? ['a batch of records', JOBS]
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}
