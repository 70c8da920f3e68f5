// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// A digest in the making. One thread at a time may use it.
// @unchecked Sendable: a value that can't be copied has one owner, and the compiler lets one at a time change it.
@safe struct Digest: ~Copyable, @unchecked Sendable {
    private let context: OpaquePointer

    init(_ algorithm: DigestAlgorithm) throws(StorageError) {
        guard let context = unsafe EVP_MD_CTX_new() else {
            throw StorageError(.io, "no memory for a digest")
        }
        guard unsafe EVP_DigestInit_ex(context, EVP_get_digestbyname(algorithm.rawValue), nil) == 1 else {
            unsafe EVP_MD_CTX_free(context)
            throw StorageError(.invalid, "this system's OpenSSL makes no \(algorithm.rawValue) digests")
        }
        unsafe self.context = context
    }

    deinit {
        unsafe EVP_MD_CTX_free(self.context)
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        guard unsafe EVP_DigestUpdate(self.context, bytes.baseAddress, bytes.count) == 1 else {
            throw StorageError(.io, "OpenSSL could not go on with a digest")
        }
    }

    /// The digest of what came so far; more may follow.
    func value() throws(StorageError) -> [UInt8] {
        let copy = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(copy) }
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard unsafe copy != nil, unsafe EVP_MD_CTX_copy_ex(copy, self.context) == 1,
            unsafe EVP_DigestFinal_ex(copy, &bytes, &count) == 1
        else {
            throw StorageError(.io, "OpenSSL could not end a digest")
        }
        return Array(bytes.prefix(Int(count)))
    }
}
