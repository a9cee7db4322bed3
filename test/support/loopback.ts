import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A real HTTP server on this machine's loopback interface, and what it was asked. */
export interface Loopback {
  /** `http://127.0.0.1:PORT/` */
  readonly url: string;
  /** Method and path of each request, with its Range if it has one: `GET /a.txt bytes=3-`. */
  readonly asked: string[];
  close(): Promise<void>;
}

export async function loopback(
  answer: (request: IncomingMessage, response: ServerResponse, nth: number) => void,
  connect?: (request: IncomingMessage, socket: Socket) => void,
): Promise<Loopback> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const { range } = request.headers;
    asked.push(`${request.method} ${request.url}${range ? ` ${range}` : ""}`);
    answer(request, response, asked.length);
  });
  if (connect)
    server.on("connect", (request: IncomingMessage, socket: Socket) => {
      asked.push(`CONNECT ${request.url}`);
      connect(request, socket);
    });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    close: () =>
      new Promise((done) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => done());
      }),
  };
}

/** Serves a body whole or from the byte that Range asks for, where If-Range names this ETag. */
export function serve(request: IncomingMessage, response: ServerResponse, body: Buffer, etag = '"1"'): void {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? -1);
  const ifRange = request.headers["if-range"];
  if (from >= body.length) response.writeHead(416, { "content-range": `bytes */${body.length}` }).end();
  else if (from >= 0 && (ifRange === undefined || ifRange === etag))
    response
      .writeHead(206, {
        etag,
        "content-range": `bytes ${from}-${body.length - 1}/${body.length}`,
        "content-length": body.length - from,
      })
      .end(body.subarray(from));
  else response.writeHead(200, { etag, "content-length": body.length }).end(body);
}

/** Sends the head and the first bytes of a body, then breaks the connection. */
export function breakAfter(response: ServerResponse, body: Buffer, bytes: number, etag: string | undefined): void {
  response.writeHead(200, { ...(etag ? { etag } : {}), "content-length": body.length });
  response.write(body.subarray(0, bytes), () => setTimeout(() => response.destroy(), 50));
}
