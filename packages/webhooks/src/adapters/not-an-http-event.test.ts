import { OptionError } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { recordingReceiver } from '../../fixtures/recording-receiver.ts'
import { anEvent } from '../testing/an-event.ts'
import { type LambdaHttpEvent, lambdaHandler } from './lambda.ts'

const body = JSON.stringify({ integration: 'default', event: anEvent({ kind: 'note.ended' }) })
const attributes = { ApproximateReceiveCount: '1', SentTimestamp: '1764342000000' }
const sqsRecord = {
  messageId: '1',
  receiptHandle: 'r',
  body,
  attributes,
  messageAttributes: {},
  eventSource: 'aws:sqs',
}
const restContext = { path: '/prod/webhooks/notes', httpMethod: 'POST', stage: 'prod' }

describe('an event that is no HTTP request', () => {
  const invoke = async (event: unknown) => lambdaHandler(recordingReceiver().receiver)(event as LambdaHttpEvent)

  it.each<[string, unknown]>([
    ['a batch of SQS', { Records: [sqsRecord, sqsRecord] }],
    // A pipe of EventBridge.
    ['a batch of SQS', [sqsRecord]],
    ['a message of SNS', { Records: [{ EventSource: 'aws:sns', EventVersion: '1.0', Sns: { Message: body } }] }],
    ['a batch of Kinesis', { Records: [{ eventSource: 'aws:kinesis', kinesis: { data: btoa(body) } }] }],
    ['a batch of Kafka', { eventSource: 'aws:kafka', records: { 'notes-0': [{ value: btoa(body) }] } }],
    ['a batch of Kafka', { eventSource: 'SelfManagedKafka', records: { 'notes-0': [{ value: btoa(body) }] } }],
    ['a batch of Amazon MQ', { eventSource: 'aws:rmq', rmqMessagesByQueue: {} }],
    ['a batch of records', { Records: [{ eventSource: 'aws:new' }] }],
    ['a batch of records', { Records: [] }],
    ['a notification of S3', { Records: [{ eventSource: 'aws:s3', eventName: 'ObjectCreated:Put', s3: {} }] }],
    ['a batch of DynamoDB', { Records: [{ eventSource: 'aws:dynamodb', eventName: 'INSERT', dynamodb: {} }] }],
    ['a batch of DocumentDB', { eventSource: 'aws:docdb', events: [{}] }],
    ['an e-mail of SES', { Records: [{ eventSource: 'aws:ses', ses: {} }] }],
    ['an event of CodeCommit', { Records: [{ eventSource: 'aws:codecommit' }] }],
    ['a request of CloudFront', { Records: [{ cf: { request: { method: 'POST', uri: '/', headers: {} } } }] }],
    ['an event of EventBridge', { version: '0', source: 'aws.events', 'detail-type': 'Scheduled Event', detail: {} }],
    ['an alarm of CloudWatch', { source: 'aws.cloudwatch', alarmArn: 'arn', alarmData: { alarmName: 'a' } }],
    ['a batch of CloudWatch Logs', { awslogs: { data: 'H4sI' } }],
    ['a batch of Data Firehose', { invocationId: '1', deliveryStreamArn: 'arn', records: [] }],
    ['a trigger of Cognito', { version: '1', triggerSource: 'PreSignUp_SignUp', userPoolId: 'p', request: {} }],
    ['a custom resource of CloudFormation', { RequestType: 'Create', StackId: 'arn', ResponseURL: 'https://x/' }],
    ['a request for authorization', { type: 'REQUEST', methodArn: 'arn', httpMethod: 'POST', path: '/', headers: {} }],
    ['a request for authorization', { type: 'TOKEN', methodArn: 'arn', authorizationToken: 'Bearer x' }],
    [
      'a request for authorization',
      { version: '2.0', type: 'REQUEST', routeArn: 'arn', requestContext: { http: { method: 'POST' } } },
    ],
    ['a message of a WebSocket API', { requestContext: { routeKey: '$default', connectionId: 'c' }, body }],
    ['a request of VPC Lattice', { raw_path: '/webhooks/notes', method: 'POST', headers: {}, body }],
    ['a request of VPC Lattice', { version: '2.0', path: '/', method: 'POST', headers: {}, requestContext: {}, body }],
    ['an event of a mapping template', { 'body-json': {}, params: {}, context: { 'http-method': 'POST' } }],
    ['an event without an HTTP method', {}],
    ['an event without an HTTP method', { key1: 'value1' }],
    ['an event without an HTTP method', null],
    ['an event without an HTTP method', undefined],
    ['an event without an HTTP method', 'note_1'],
    ['an event without an HTTP method', { httpMethod: '', path: '/' }],
    ['an event without an HTTP method', { httpMethod: 7, path: '/' }],
    ['an event without an HTTP method', { requestContext: restContext, body }],
  ])('makes the invocation fail, and the error names it: %s', async (what, event) => {
    const error = await invoke(event).then(
      (result) => result,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(OptionError)
    expect(error).toMatchObject({ code: 'option_invalid', option: 'event', message: expect.stringContaining(what) })
    // No content of an event in an error.
    expect(String(error)).not.toContain('note_')
  })

  it.each([
    ['SQS', { Records: [sqsRecord] }],
    ['SNS', { Records: [{ EventSource: 'aws:sns' }] }],
    ['Kinesis', { Records: [{ eventSource: 'aws:kinesis' }] }],
  ])('says how the jobs of a queue are processed: %s', async (_service, event) => {
    await expect(invoke(event)).rejects.toThrow(/queuedEvent, receiver\.process and jobResult .* \(guide "Queues"/)
  })

  it('does not call the receiver', async () => {
    let calls = 0
    const respond = async () => {
      calls += 1
      return { status: 204, headers: {}, body: '', error: undefined }
    }
    const handler = lambdaHandler({ ...recordingReceiver().receiver, respond })
    await expect(handler({ Records: [sqsRecord] } as LambdaHttpEvent)).rejects.toThrow(OptionError)
    expect(calls).toBe(0)
  })
})
