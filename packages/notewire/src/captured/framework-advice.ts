/** How to get at the bytes of a request in a framework. */
export interface FrameworkAdvice {
  readonly framework: string
  readonly advice: string
}

/** How to verify the body as it came, framework by framework. */
export const RAW_BODY_ADVICE: readonly FrameworkAdvice[] = [
  {
    framework: 'Express',
    advice:
      "mount expressHandler(receiver) before express.json(); by hand: express.raw({ type: 'application/json' }), and req.body is the Buffer",
  },
  {
    framework: 'Fastify',
    advice:
      "register fastifyPlugin; by hand: addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => done(null, body))",
  },
  {
    framework: 'Next.js',
    advice:
      'export const POST = receiver.fetch; by hand: await request.text(), not request.json(); Pages Router: bodyParser: false',
  },
  { framework: 'Flask', advice: 'request.get_data(), before request.json; never json.dumps(request.json)' },
  { framework: 'Django', advice: 'request.body, before anything reads request.POST or request.data' },
  { framework: 'Rails', advice: 'request.raw_post; never params.to_json' },
]
