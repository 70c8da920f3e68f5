# SPDX-License-Identifier: Apache-2.0
"""Whose bytes they are: checksums, digests that an origin sends, certificates."""
import hashlib
import ssl
import subprocess
import threading

from fault_table import fault
from faults.sample import BODY, ETAG, HALF, LENGTH, SIZE, digest, has_failed, is_whole
from patience import PATIENCE
from scripted_origin import CLOSE, ScriptedOrigin, head, held, rest, whole

ALGORITHMS = {"sha256": "sha-256", "sha512": "sha-512", "sha1": "sha", "md5": "md5"}


@fault("I1")
def what_the_creator_asked_for(world):
    for name, key in ALGORITHMS.items():
        for number, (wanted, other) in enumerate((
                (digest(BODY, name, key), digest(b"", name, key)),
                (f"{name}:{hashlib.new(name, BODY).hexdigest()}", f"{name}:{hashlib.new(name, b'').hexdigest()}"))):
            url = world.serve(f"/sum-{name}-{number}.bin", whole(BODY))
            is_whole(world, world.run(url, checksum=wanted))
            # Both values, as the one was given.
            transfer = world.run(url, checksum=other, name=f"wrong-{name}-{number}.bin")
            has_failed(transfer, "checksum-mismatch", wanted, other, "was asked for")
            assert not transfer["error"]["retryable"]
            names = [p.name for folder in ("files", "parts") for p in (world.folder / "data" / folder).iterdir()]
            assert f"wrong-{name}-{number}.bin" not in names and f"{transfer['id']}.part" not in names
    for wrong in ("crc32:00000000", "sha256:abc", "sha-512=:AAAA:", "nonsense"):
        problem = world.headway.download(url, checksum=wrong).problem(400, "invalid")
        assert wrong in problem["detail"]


@fault("I2")
def what_the_origin_says_of_its_bytes(world):
    for name, key in ALGORITHMS.items():
        for field in ("Repr-Digest", "Content-Digest"):
            right, wrong = digest(BODY, name, key), digest(b"", name, key)
            path = f"/{field}-{name}.bin"
            is_whole(world, world.run(world.serve(path, whole(BODY, f"{field}: {right}"))))
            transfer = world.run(world.serve(path, whole(BODY, f"{field}: x=:AA==:, {wrong}")))
            has_failed(transfer, "checksum-mismatch", wrong, right, "the server announced")
    # With a digest, a body without a length is known to be whole.
    transfer = world.run(world.serve("/said.bin", [head(200, f"Repr-Digest: {digest(BODY)}"), BODY, CLOSE]))
    is_whole(world, transfer)
    assert transfer["note"] is None
    # What can't be read, or is in an unknown algorithm, is as if it were not there.
    is_whole(world, world.run(world.serve("/odd.bin", whole(BODY, "Repr-Digest: crc32c=:AAAAAA==:, sha-256=nonsense"))))


@fault("I3")
def a_digest_over_a_resume(world):
    cut = [head(200, LENGTH, ETAG, f"Repr-Digest: {digest(BODY)}"), BODY[:HALF], CLOSE]
    is_whole(world, world.run(world.serve("/dig-1.bin", cut, rest(BODY))))
    # The rest under the same ETag is another file's: the digest of the first answer tells.
    other = BODY[:HALF] + bytes(SIZE - HALF)
    has_failed(world.run(world.serve("/dig-2.bin", cut, rest(other))), "checksum-mismatch", digest(BODY), digest(other))
    # The digest of a part's content says nothing about the file.
    is_whole(world, world.run(world.serve("/dig-3.bin", cut, rest(BODY, f"Content-Digest: {digest(BODY[HALF:])}"))))
    # The second answer has another digest for the whole: another version, so from 0.
    gate = threading.Event()
    id = world.begin(world.serve("/dig-4.bin", cut, [
        head(206, f"Content-Range: bytes {HALF}-{SIZE - 1}/{SIZE}", f"Content-Length: {SIZE - HALF}", ETAG,
             f"Repr-Digest: {digest(other)}"), other[HALF:]], held(gate, other, f"Repr-Digest: {digest(other)}")))
    world.seen(id, "source-changed")
    gate.set()
    is_whole(world, world.end(id), other)


def openssl(folder, *words):
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


def authority(folder, name):
    """A certificate authority and a way to make it sign: files NAME.pem and NAME.key."""
    openssl(folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")


def certificate(folder, name, by, names, days="2"):
    """A server's certificate for these names, signed by an authority; returns the context of a server that has it."""
    openssl(folder, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
            "-keyout", f"{name}.key", "-out", f"{name}.csr")
    (folder / f"{name}.ext").write_text(f"subjectAltName={names}\n")
    openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", f"{by}.pem", "-CAkey", f"{by}.key", "-CAcreateserial",
            "-days", days, "-extfile", f"{name}.ext", "-out", f"{name}.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / f"{name}.pem", folder / f"{name}.key")
    return context


@fault("I4")
def certificates(world):
    folder = world.folder / "certificates"
    folder.mkdir()
    authority(folder, "mine")
    authority(folder, "foreign")
    ours = "IP:127.0.0.1,DNS:localhost"
    origins = [ScriptedOrigin(certificate(folder, "good", "mine", ours)),
               ScriptedOrigin(certificate(folder, "stranger", "foreign", ours)),
               ScriptedOrigin(certificate(folder, "elsewhere", "mine", "DNS:other.example")),
               ScriptedOrigin(certificate(folder, "late", "mine", ours, days="-1"))]
    good, stranger, elsewhere, late = (o.serve(f"/secure-{n}.bin", whole(BODY)) for n, o in enumerate(origins))
    try:
        # Without the authority nobody is trusted, and with it only those whom it signed, under their names, in their time.
        has_failed(world.run(good), "tls", "certificate")
        trusting = world.server("trusting", "--ca-file", str(folder / "mine.pem"))
        end = trusting.ended(trusting.download(good).transfer(201)["id"])
        assert (end["outcome"], end["digest"]) == ("succeeded", digest(BODY)), end
        by_name = good.replace("127.0.0.1", "localhost")
        assert trusting.ended(trusting.download(by_name).transfer(201)["id"])["outcome"] == "succeeded"
        for url, word in (stranger, "certificate"), (elsewhere, "127.0.0.1"), (late, "expired"):
            end = trusting.ended(trusting.download(url).transfer(201)["id"])
            has_failed(end, "tls", word)
            assert end["attempt"] == 1
        assert all(not o.requests for o in origins[1:])
    finally:
        for origin in origins:
            origin.close()


@fault("I5")
def a_file_of_authorities_that_is_none(world):
    from server import BINARY
    (world.folder / "no.pem").write_text("nonsense")
    for name, word in ("missing.pem", "can't be read"), ("no.pem", "holds no certificate"):
        run = subprocess.run([BINARY, "serve", "--listen", "127.0.0.1:0", "--data", str(world.folder / "unused"), "--web",
                              str(world.web), "--ca-file", str(world.folder / name)],
                             capture_output=True, text=True, timeout=PATIENCE)
        assert run.returncode == 1 and word in run.stderr and len(run.stderr.splitlines()) == 1, run
