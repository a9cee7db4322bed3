import { spawn } from "node:child_process";
import { MkgError, SetupError } from "../core/index.js";

/**
 * Runs `ffmpeg` or `ffprobe` with an argument list, without a shell, and hands on what it writes, as fast as it is taken. Whatever it reports as
 * an error is one.
 */
export async function runTool(
  tool: "ffmpeg" | "ffprobe",
  args: readonly string[],
  running: {
    readonly place: string;
    readonly signal: AbortSignal;
    readonly limit: AbortSignal;
    readonly timeoutMs: number;
  },
  onOutput: (part: Uint8Array) => Promise<void>,
): Promise<void> {
  const { place, signal, limit, timeoutMs } = running;
  const stopIfAborted = () => {
    if (limit.aborted)
      throw new MkgError(
        place,
        `reading it took more than ${timeoutMs} ms`,
        "",
        "Take a shorter clip, or raise timeoutMs",
      );
    signal.throwIfAborted();
  };
  stopIfAborted();
  const child = spawn(tool, args, { stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
  const kill = () => child.kill("SIGKILL");
  signal.addEventListener("abort", kill, { once: true });
  let said = "";
  child.stderr.on("data", (part: Buffer) => {
    if (said.length < 4096) said += part.toString("utf8");
  });
  const ended = new Promise<number | null>((done, fail) => child.once("error", fail).once("close", done));
  ended.catch(() => {}); // looked at below
  try {
    for await (const part of child.stdout) await onOutput(part as Uint8Array);
    const code = await ended;
    stopIfAborted();
    // a truncated clip is told in words, with exit code 0
    if (code !== 0 || said.trim() !== "")
      throw new MkgError(
        place,
        `${tool} could not read the whole of it (${lastLine(said) || `exit ${code}`})`,
        "A clip in a usual container, such as mp4 or webm",
        "It may be truncated, damaged or of another format: fetch it again, or encode it anew",
      );
  } catch (error) {
    kill();
    if (
      (error as NodeJS.ErrnoException).code === "ENOENT" ||
      (error as NodeJS.ErrnoException).syscall?.startsWith("spawn")
    )
      throw new SetupError(
        place,
        `${tool} is not on the PATH`,
        "Frames of clips are read by ffmpeg and ffprobe",
        "Install it, for example: apt-get install ffmpeg, brew install ffmpeg, or conda install ffmpeg",
      );
    throw error;
  } finally {
    signal.removeEventListener("abort", kill);
  }
}

/** The last line that the program said: the first ones often only prepare it. */
const lastLine = (said: string): string =>
  (said.trim().split("\n").at(-1) ?? "")
    .replace(/\s+/g, " ")
    .replace(/^\[[^\]]* @ 0x[0-9a-f]+\] /, "")
    .slice(0, 300);

const signature = 8;

/** Cuts a stream of PNG files, one after the other, into files, by the lengths that their chunks state. */
export class PngSplitter {
  /** What has come of the file in hand, with room to grow: twice as much each time, so that a byte is moved a few times at most. */
  private room: Buffer = Buffer.alloc(2 ** 16);
  private size = 0;
  /** Where the next chunk of the file in hand begins. */
  private at = signature;

  constructor(
    private readonly place: string,
    private readonly onPicture: (png: Uint8Array) => Promise<void>,
    private readonly maxBytes: number,
  ) {}

  async push(part: Uint8Array): Promise<void> {
    if (this.size + part.length > this.room.length) {
      const larger = Buffer.alloc(2 * (this.size + part.length));
      this.room.copy(larger, 0, 0, this.size);
      this.room = larger;
    }
    this.room.set(part, this.size);
    this.size += part.length;
    while (this.size >= this.at + 8) {
      const end = this.room.toString("latin1", this.at + 4, this.at + 8) === "IEND";
      const next = this.at + 12 + this.room.readUInt32BE(this.at);
      if (end && this.size < next) return;
      this.at = next;
      if (!end) continue;
      await this.onPicture(new Uint8Array(this.room.subarray(0, next)));
      this.room.copyWithin(0, next, this.size);
      this.size -= next;
      this.at = signature;
    }
    if (this.size > this.maxBytes)
      throw new MkgError(this.place, `a frame is too large (${this.size} bytes)`, `At most ${this.maxBytes} bytes`);
  }

  /** Nothing may be left over. */
  end(): void {
    if (this.size > 0) throw new MkgError(this.place, "its last frame is cut off", "", "Check the file");
  }
}
